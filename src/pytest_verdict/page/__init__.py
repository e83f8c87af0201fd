"""One HTML file in which a person looks at comparisons.

``index`` holds what the list and the filters need, ``bodies`` the records in compressed pieces, ``writing`` puts both into a file
that needs nothing else, and ``server`` gives the same page out where a file would be too large. What the browser runs and draws
with is in ``page.html``, ``page.css`` and ``page.js``. No text of a record is ever written as HTML: it is in compressed data, and
``page.js`` sets it as the text of elements.
"""

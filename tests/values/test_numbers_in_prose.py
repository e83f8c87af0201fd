"""A number in prose is read with what changes its value, or refused: never without it."""

import time
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.extraction.answers import find_one_number

# Each text holds one number that is not 5, whatever else it is.
NOT_FIVE = [
    *("5 mln", "5 mln.", "5 lakh", "5 lakhs", "5 crore", "5 Cr", "5 Mrd", "5 Mrd. Euro", "5 Mio", "5 Mio. €"),
    *("5 Tsd.", "5 dozen", "5 hundred", "5 thousand", "5 million", "5 millions", "5 Million", "5 MILLION"),
    *("5 billion", "5 trillion", "5 quadrillion", "5 tausend", "5 Millionen", "5 Milliarden", "5 mille"),
    *("5 millions d'euros", "5 milliards", "5 mil", "5 millones", "5 mil milhões", "5 milhões", "5 miliardi"),
    *("5 milioni", "5 duizend", "5 miljoen", "5 miljard", "5 tysięcy", "5 milionów", "5 тысяч", "5 тыс."),
    *("5 миллионов", "5 млн", "5 млрд", "5 milyon", "5 milyar", "5 लाख", "5 करोड़", "5 万", "5万", "5億", "5 천"),
    *("5억", "5k", "5 k", "5K", "5M", "5 M", "5MM", "5B", "5bn", "5 bn", "5 BN", "5mn", "5T", "$5M", "€5bn"),
    *("5 k€", "5 M€", "5 k$", "5-million", "5-thousand", "**5** million", "*5* thousand", "`5` billion"),
    *("'5' million", "5\xa0million", "5\u202fmillion", "5\tmillion", "5²", "5³", "5⁶", "5½", "5 ½", "5¼", "5⅓"),
    *("5/8", "5 / 8", "5⁄8", "8/5", "1/5", "5 1/2", "5 and a half", "5 and one quarter", "5^2", "5**2", "2^5"),
    *("2**5", "5 × 10⁶", "5 x 10^6", "5·10^3", "5*10**6", "5e6", "5E6", "5x10^6", "10^{5}", "10^(5)", "10^-5"),
    *("0x5", "0x5F", "0b5", "0o5", "5 squared", "5 cubed", "5 factorial", "5 halves", "5 thirds", "5 quarters"),
    *("5 tenths", "5 hundredths", "(5)", "($5)", "( 5 )", "-5", "−5", "±5", "+/-5", "minus 5", "negative 5"),
    *("5,5", "5.5", "5,000", "5.000.000", "5.000,00", "1.234,5", "5‰", "５", "5５", "٥5", "5٥", "3 out of 5"),
    *("5 out of 8", "5 over 8", "half of 5", "10 to the power of 5", "5 to the power of 2", "5 gross"),
    *("5_000", "5i", "5j", "5 grand", "5 grand.", "5 octillion", "5 sextillions", "5 nonillion", "5 000", "5 000 000"),
    *("–5", "-$5", "−$5", "-€5"),
    *("$5m", "US$5m", "$5mm", "USD 5m", "€5 mm", "5 Mill.", "5 kk", "5 thou", "5‑million", "5‐million", "5 e3", "5.e3"),
    *("5 e+3", "5 E-03 m", "5 e-3 m"),
    *("5 per mille", "5 per thousand", "5-", "5\u2212", "—5", "﹣5", "－5", "5h30", "5'6\"", "5-and-a-half", "5 and 1/2"),
    *("5k+", "5M+", "5k/month", "$5k/yr", "5M–6M", "5k\u2014or so", "5bn/year", "5k=5000", "5 below zero", "5° below zero"),
    *("5 degrees below zero", "k€ 5", "M€ 5", "Mio. € 5", "Mrd. EUR 5", "5 vạn", "5 chục", "5 ezer", "5 tuhat", "5 mijë"),
    *("5 elfu", "5 libo", "5 tisuća", "5 hiljada", "5 хиляди", "5 χιλιάδες", "5 εκατομμύρια", "5 אלף", "5 מיליון"),
    *("5 พัน", "5 ล้าน", "5 แสน", "5 tūkstančiai", "5 milionë", "5 tuhatta", "5 tuhande"),
    *("5 k²", "5 mln³", "5 mille²", "5 million²", "2 million 5"),
    *("5 dutzend", "5 douzaines", "5 docenas", "5 juta", "5 ribu", "5 triệu", "5 مليون", "5 ألف",),
]  # fmt: skip
FIVE = [
    *("5 M&Ms", "5 m/s", "5 per person", "5 per month", "5 e-mails", "5 E. coli cells", "5 mills", "5 milliseconds"),
    *("5 m", "$5 more", "I'm $5 short", "5 hours", "5 below average", "5 and a friend", "5 - a few", "5 km/h", "5 homes"),
    *("5", "5.", "5 kg", "5kg", "5 km/h", "5 °C", "5°", "5 m", "5 m²", "5 miles", "5 mi", "5 mm", "5 ml"),
    *("5 mg", "5 MB", "5 GB", "5 kB", "5 cents", "5 cent", "5 centimeters", "5 millimetres", "5 milliseconds"),
    *("5 ms", "5 apples", "5 people", "5 euros", "5 USD", "$5", "€5", "5 €", "EUR 5", "5 points", "5 centuries"),
    *("5 mills", "5 bins", "5 students", "5 tables", "5 kcal", "5 Kilometer", "5 bits", "5 T-shirts"),
    *("5 K-pop songs", "5 of them", "5 and 5", "**5**", "`5`", "the answer is 5", "It is 5!", "x = 5"),
    *("2 + 3 = 5", "7 - 2 = 5", "10 / 2 = 5", "2 × 2.5 = 5", "5 %", "5%", "5 percent", "5, because", "5; so"),
    *("5 Grand Slams", "5 inches", "5 jars", "5 in all", "5 if any", "5 pavilions", "a – 5"),
    *("[5]", "(about 5 of them)", "5 (five)", "1. 5", "from 7 to 5",),
]  # fmt: skip
READ = {
    "5 dozen": "60", "5 hundred": "500", "3 million": "3000000", "1.2 million": "1200000", "2.5 thousand": "2500",
    "-3 billion": "-3000000000",
    "3 hundred thousand": "300000", "**5** million": "5000000", "1.234,56": "1234.56", "1.234.567": "1234567",
    "1,234,567": "1234567",
    "5e3 m": "5e3", "\u2212$1,234.50": "-1234.50", "5-million": "5000000",
}  # fmt: skip


def score_of(observed, expected=5, **settings):
    return compare("numeric_exact", expected, observed, **settings).passed


@pytest.mark.parametrize("text", NOT_FIVE)
@pytest.mark.parametrize("preset", ["first_number", "last_number"])
def test_preset_never_drops_what_changes_a_number(text, preset):
    for reply in (text, f"The total is {text}", f"It is {text} in total."):
        assert not compare("numeric_exact", 5, reply, extract={"extract": preset, "on_missing": "fail"}).passed


@pytest.mark.parametrize("text", NOT_FIVE)
def test_strip_unit_never_drops_what_changes_a_number(text):
    assert not score_of(text, normalize=["strip_unit"])
    assert not score_of(text, normalize=["strip_markdown_emphasis", "strip_unit"])


@pytest.mark.parametrize("text", FIVE)
def test_last_number_reads_a_number_with_a_unit(text):
    assert score_of(text, extract="last_number")


@pytest.mark.parametrize(
    "text", ["5 kg", "5kg", "5 °C", "5 m²", "5 miles", "5 cents", "5 mm", "5 apples", "$5", "5 €", "EUR 5", "5e0 m"]
)
def test_strip_unit_removes_a_unit(text):
    assert score_of(text, normalize=["strip_unit"])


@pytest.mark.parametrize(("text", "value"), READ.items())
def test_last_number_applies_a_magnitude(text, value):
    assert [numeral.value for numeral in find_numerals(text)] == [value]
    assert score_of(text, Decimal(value), extract="last_number")


def test_last_number_takes_no_earlier_number_for_one_it_refuses():
    assert not compare("numeric_exact", 5, "5 and 3/4", extract={"extract": "last_number", "on_missing": "fail"}).passed


@pytest.mark.parametrize(
    "text",
    [
        "5 hundred-dollar bills", "5 million-dollar homes", "5 hundred five", "5 hundred and five", "5 hundred-and-five",
        "5 million five hundred thousand", "5 thousand 300", "2 million 300 thousand", "5 million and 300 thousand",
    ],
)  # fmt: skip
def test_magnitude_that_goes_on_is_refused(text):
    assert {numeral.value for numeral in find_numerals(text)} == {None}
    assert find_one_number(text) == []


@pytest.mark.parametrize(
    "text", ["five hundred-dollar bills", "two million-dollar homes", "three thousand-year-old trees"]
)
def test_magnitude_with_a_hyphen_behind_it_is_refused(text):
    assert [numeral.value for numeral in find_number_words(text)] == [None]


# A text, and how its only number that is not inside a word is read; None where something beside it changes it.
BESIDE = [
    # Letters in brackets are options, notes and units, unless a currency or "in" stands with them.
    ("(m) 42", "42"), ("(M) 42", "42"), ("(k) 42", "42"), ("(K): 7", "7"), ("Option (K): 7", "7"), ("(M): 7", "7"),
    ("height (m): 7", "7"), ("height (in m): 7", "7"), ("gap (mm) 7", "7"), ("gap (in mm) 7", "7"), ("[K] 7", "7"),
    ("temperature (K) = 7", "7"), ("(b) 7", "7"), ("(T) 7", "7"), ("sex (m/f): 7", "7"), ("I'm 7", "7"), ("M: 7", "7"),
    ("K 7", "7"), ("I am in M 7 times", None), ("in M-theory 7 fields", "7"), ("I'm $7 short", "7"),
    ("(in K): 7", None), ("(in k) 7", None), ("(in M) 7", None), ("Revenue ($M): 7", None), ("Revenue ($K) 7", None),
    ("Revenue (€m): 7", None), ("Revenue (k€): 7", None), ("Revenue (M EUR): 7", None), ("Revenue (USD K) 7", None),
    ("Revenue (in $M): 7", None), ("Revenue ($ in M): 7", None), ("Revenue (in k€) 7", None), ("Revenue ($bn): 7", None),
    ("in $M: 7", None), ("in k€ 7", None), ("in M: 7", None), ("in K = 7", None), ("$M 7", None), ("USD k 7", None),
    ("k$ 7", None), ("Mio. € 7", None), ("€bn 7", None), ("$mm 7", None),
    ("$k = 7$", "7"), ("$M = 7$", "7"), ("$k$ = 7", "7"), ("where $k$: 7", "7"), ("($k$) 7", "7"), ("so $m$ is 7", "7"),
    ("7 (m)", "7"), ("7 (M)", "7"), ("7 (K)", "7"), ("7 in m", "7"), ("7 in mm", "7"), ("7 in M-theory", "7"),
    ("7 in MB", "7"), ("7 in km", "7"), ("7 in M&A", "7"),
    ("7 (in K)", None), ("7 ($M)", None), ("7 (in $M)", None), ("7 (k€)", None), ("7 in $M", None), ("7 in K", None),
    ("7 in M€", None), ("7k", None), ("7 M", None), ("7K", None), ("$7m", None), ("7M€", None),
    ("in K: = 7", None), ("7 kΩ", "7"), ("7 MΩ", "7"), ("7 km²", "7"), ("7 k²", None), ("7 m²", "7"),
    # Magnitudes in words.
    ("In hundreds of tests 7 failed", None), ("In thousands of cases, 7 were late", None), ("in dozens of homes 7", None),
    ("7 in hundreds of tests", None), ("7 in thousands of cases", None), ("7 people in dozens of homes", "7"),
    ("hundreds of tests: 7", None), ("thousands said 7", None), ("in hundredths 7", "7"), ("7 in all", "7"),
    ("in thousands: 7", None), ("In millions, 7", None), ("in thousands of dollars 7", None), ("(in thousands) 7", None),
    ("Population in millions of people: 7", None), ("(in millions of people): 7", None), ("(thousands): 7", None),
    ("($ in thousands) 7", None), ("($ thousands): 7", None), ("(in $ millions) 7", None), ("(USD thousands) 7", None),
    ("(thousands of dollars) 7", None), ("in $ thousands: 7", None), ("in USD millions 7", None), ("(dozens) 7", None),
    ("7 in thousands", None), ("7, in millions", None), ("7 in thousands of dollars", None), ("7 (in thousands)", None),
    ("7 (thousands of units)", None), ("7 in millions of USD", None), ("7 ($ thousands)", None), ("7 in $ millions", None),
    # Exponents.
    ("3 e2e tests", "3"), ("3 E2E tests", "3"), ("7 E4 cells", "7"), ("7 E10 fuels", "7"), ("3 e2-micro machines", "3"),
    ("7 e-mails", "7"), ("7 e-books", "7"), ("8 E. coli", "8"), ("7 E cells", "7"), ("7 E4-type cells", "7"),
    ("7 e4x parsers", "7"), ("6e5", "6e5"), ("6E5", "6E5"), ("6e5 m", "6e5"), ("6e-5", "6e-5"), ("6e5kg", "6e5"),
    ("6 e5", None), ("6 E5", None), ("6 e5 in total", None), ("6 e5.", None), ("6.e5", None),
    ("6 E5, or so", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), BESIDE)
def test_what_stands_beside_a_number_changes_it_or_not(text, value):
    assert [numeral.value for numeral in find_numerals(text)] == [value]
    for reply in (f"So {text}", f"{text}\n"):
        assert [numeral.value for numeral in find_numerals(reply)] == [value]
    assert [part.value for part in find_one_number(f"The answer is as follows. {text}")] == [value] * (
        value is not None
    )


MAGNITUDES = [
    "million",
    "Million",
    "mln",
    "Mrd.",
    "k",
    "M",
    "bn",
    "lakh",
    "dozen",
    "thousand",
    "hundred",
    "trillion",
    "万",
    "tys.",
]


@given(
    st.decimals(min_value=1, max_value=10**6, places=2),
    st.sampled_from(MAGNITUDES),
    st.sampled_from(["", " ", "\u00a0", "\u202f", "** ", "* ", '" ', " - ", "-"]),
    st.sampled_from(["", " people", ".", ", or so", " (roughly)"]),
)
def test_a_magnitude_is_never_dropped(number, magnitude, between, after):
    if between == "" and magnitude[0].isalpha() and len(magnitude) > 2 and magnitude.isascii() and between != " - ":
        between = " "
    if between == " - ":
        between = "-"
    text = f"{number}{between}{magnitude}{after}"
    assert number not in [Decimal(numeral.value) for numeral in find_numerals(text) if numeral.value is not None]


@pytest.mark.parametrize(
    "text",
    [
        "1" * 200_000 + " million",
        "1 million " * 20_000,
        "1" + " hundred" * 50_000,
        "1e999999999 million",
        "5^" * 50_000,
        "(" * 50_000 + "5",
    ],
)
def test_a_hostile_number_takes_little_time(text):
    start = time.process_time()
    for _ in find_numerals(text):
        pass
    assert time.process_time() - start < 5

"""A file of the report, and lines at the end of the session."""


def write(contents):
    yield "operator,pass,fail,error\n"
    for operator, counts in contents.summary.operators.items():
        yield f"{operator},{','.join(map(str, counts))}\n"


def closing_lines(records):
    yield f"Roman numerals: {', '.join(record['observed'] for record in records)}"

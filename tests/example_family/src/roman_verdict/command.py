"""A command of the console script."""


def add_arguments(parser):
    parser.add_argument("number", type=int)


def run(arguments):
    from roman_verdict.operator import numeral

    print(numeral(arguments.number))
    return 0

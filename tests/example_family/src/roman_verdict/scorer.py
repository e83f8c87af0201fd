"""A scorer of suites."""


class CapitalsOnly:
    name = "capitals_only"

    def score(self, scenario, result):
        return {"passed": result.output.isupper(), "explanation": "a numeral is written in capitals"}

"""Which check must find which broken detector."""

BROKEN = {}


def caught_by(name):
    """Note the check that must find the defect of a class."""

    def noted(kind):
        BROKEN[kind] = name
        return kind

    return noted

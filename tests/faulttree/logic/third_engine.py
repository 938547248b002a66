"""CUDD (Somenzi) behind the interface of the engines, where its bindings are installed."""

from surefoot.faulttree.logic import Engine, Operations


class CuddEngine(Engine):
    def operations(self, variables, limit):
        return _Operations(variables)


class _Operations(Operations):
    def __init__(self, variables):
        from dd.cudd import BDD

        self.manager = BDD()
        self.manager.declare(*(f"x{level}" for level in range(variables)))

    def constant(self, value):
        return self.manager.true if value else self.manager.false

    def variable(self, level):
        return self.manager.var(f"x{level}")

    def negation(self, f):
        return ~f

    def conjunction(self, f, g):
        return f & g

    def disjunction(self, f, g):
        return f | g

    def parity(self, f, g):
        return self.manager.apply("xor", f, g)

    def choice(self, condition, then, otherwise):
        return self.manager.ite(condition, then, otherwise)

    def diagram(self, f, columns):
        raise NotImplementedError("compare functions by ``truth``")

    def truth(self, f, assignment):
        """Whether the function holds where variable ``level`` is ``assignment[level]``."""
        values = {f"x{level}": bool(value) for level, value in enumerate(assignment)}
        return self.manager.let(values, f) == self.manager.true

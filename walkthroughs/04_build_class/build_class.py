class Meta(type):
    @classmethod
    def __prepare__(metacls, name, bases):
        return super().__prepare__(name, bases)

    def __new__(metacls, name, bases, namespace):
        return super().__new__(metacls, name, bases, namespace)


class Stand:
    """No class, but it may stand where a base class stands: it is asked which classes it means."""

    def __mro_entries__(self, bases):
        return (object,)


class Tensor(Stand(), metaclass=Meta):
    layout = "strided"

    def numel(self):
        return 4


t = Tensor()

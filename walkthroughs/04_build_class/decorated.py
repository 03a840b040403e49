def decorate(cls):
    setattr(cls, "decorated", True)
    return cls


class Meta(type):
    def __new__(metacls, name, bases, namespace):
        return super().__new__(metacls, name, bases, namespace)


@decorate
class Tensor(metaclass=Meta):
    rank = 2

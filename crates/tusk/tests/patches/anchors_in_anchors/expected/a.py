class A:
    def run(self):
        pass

class B:
    def run(self):
        return 1

class C:
    def run(self):
        pass

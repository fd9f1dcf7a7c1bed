"""Calls of what libraries offer."""

from __future__ import annotations

import ast

from picklecheck.receiver.guard import knowledge
from picklecheck.receiver.guard.events import Sort
from picklecheck.receiver.guard.noting import Noting
from picklecheck.receiver.guard.plain import context_of, full_name, of_parser, of_sequence, of_string, text_of
from picklecheck.receiver.guard.values import (
    UNKNOWN,
    Arguments,
    Const,
    Function,
    Known,
    Made,
    Object,
    Pending,
    Sequence,
    Value,
    options,
    truth,
)
from picklecheck.receiver.guard.work import work_of_call, work_of_method

__all__ = ["LibraryCaller"]

_AWAITS = frozenset(
    (
        "run",
        "run_until_complete",
        "gather",
        "create_task",
        "wait",
        "wait_for",
        "ensure_future",
        "run_coroutine_threadsafe",
    )
)


_GIVE_LOADERS = ("train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader")


class LibraryCaller(Noting):
    """Reads calls of functions, classes and methods that have no source here."""

    def _call_known(self, known: Known, arguments: Arguments, node: ast.AST) -> Value:
        handled = self._special(known, arguments, node)
        if handled is not None:
            return handled
        how = knowledge.start_of_call(known, arguments)
        if how:
            self.start(how, known.method or context_of(arguments))
        self.work(work_of_call(known.name, arguments))
        self._runs_as_main(known, arguments)
        if known.name in ("map", "filter") and len(arguments.positional) > 1:
            given = Arguments([self.iterate(one, node) for one in arguments.positional[1:]])
            return Sequence([self.call(arguments.positional[0], given, node)])
        if known.name in knowledge.BUILTIN_ITERATES:
            items = [self.iterate(one, node) for one in arguments.positional]
            if known.name in knowledge.EAGER:
                return Sequence(items) if items else Sequence()
        if known.name in knowledge.CALLS_BACK or known.name.rpartition(".")[2] in _AWAITS:
            self._call_back(arguments, node)
        if known.name in knowledge.LAUNCHERS and arguments.positional:
            return _launched(arguments.positional[0], known)
        return knowledge.answer(known) or Made(known, arguments)

    def _special(self, known: Known, arguments: Arguments, node: ast.AST) -> Value | None:
        if known.name == "multiprocessing.get_context":
            method = arguments.get(0, "method")
            return Known("multiprocessing", text_of(method) or known.method)
        if known.name == "multiprocessing.set_start_method":
            return self._set_method(arguments)
        if known.name == "getattr":
            return self._getattr(arguments, node)
        if known.name in ("importlib.import_module", "__import__") and arguments.positional:
            return self._import(text_of(arguments.positional[0]))
        if known.name.endswith(".__init__") and arguments.positional and isinstance(arguments.positional[0], Object):
            arguments.positional[0].base_arguments = Arguments(arguments.positional[1:], arguments.keywords)
            return UNKNOWN
        if known.name == "dict" and not arguments.positional:
            return Sequence(list(arguments.keywords.values()), keys=list(arguments.keywords))
        return None

    def _import(self, name: str | None) -> Value:
        return (self.load(name, self.source) or Known(name)) if name and not name.startswith(".") else UNKNOWN

    def _getattr(self, arguments: Arguments, node: ast.AST) -> Value:
        name = text_of(arguments.get(1, "name"))
        if not name or not arguments.positional:
            return UNKNOWN
        found = self.attribute(arguments.positional[0], name, node)
        return UNKNOWN if isinstance(found, Known) and len(arguments.positional) > 2 else found

    def _set_method(self, arguments: Arguments) -> Value:
        method = text_of(arguments.get(0, "method"))
        force = arguments.get(1, "force")
        forced = force is not None and truth(force) is not False
        if not self.uncertain:
            self.start_method = method or self.start_method
        caught = any(names & {"RuntimeError", "Exception", "BaseException"} for names in self.caught)
        if method != "fork" and not forced and not caught and not self.uncertain:
            self.emit(Sort.METHOD, "sets the start method, which a child has set already")
        return Const(None)

    def _runs_as_main(self, known: Known, arguments: Arguments) -> None:
        row = knowledge.AS_MAIN.get(known.name)
        if not row:
            return
        position, keyword = row
        given = arguments.get(position, keyword)
        if isinstance(given, Sequence) and given.keys is not None and "__name__" in given.keys:
            given = given.at("__name__")
        if any(isinstance(one, Const) and one.value == "__main__" for one in options(given or UNKNOWN)):
            self.emit(Sort.AS_MAIN, "runs code as the main module")

    def _call_back(self, arguments: Arguments, node: ast.AST) -> None:
        for value in arguments.all():
            if isinstance(value, Pending):
                self.iterate(value, node)
            elif isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
                self.call(value, Arguments(open=True), node)

    def _call_method(self, owner: Value, name: str, arguments: Arguments, node: ast.AST) -> Value:
        if isinstance(owner, Sequence):
            return of_sequence(owner, name, arguments)
        if isinstance(owner, Const):
            return of_string(owner.value, name, arguments)
        if isinstance(owner, Object):
            return self._inherited(owner, name, arguments)
        if isinstance(owner, Made):
            if owner.known.name.startswith("argparse.ArgumentParser"):
                return of_parser(owner, name, arguments)
            self._library_method(owner.known, owner.arguments, name, arguments, node)
        else:
            self._library_method(Known("?"), Arguments(), name, arguments, node)
        self.work(work_of_method(owner, name, arguments))
        if name == "__enter__":
            return owner
        return Made(Known(f"{full_name(owner)}.{name}"), arguments)

    def _library_method(
        self, known: Known, made_with: Arguments, name: str, arguments: Arguments, node: ast.AST
    ) -> None:
        how = knowledge.start_of_method(known, made_with, name, arguments)
        if how:
            self.start(how, known.method or context_of(made_with))
        if name == "__iter__":
            self.iterate(Made(known, made_with), node)
        if name in ("fit", "validate", "test", "predict"):
            self._asks_for_loaders(arguments, node)
        if name == "start" and known.name in ("threading.Thread", "threading.Timer"):
            target = made_with.get(1, "target" if known.name.endswith("Thread") else "function")
            if isinstance(target, Function):
                self.call(target, Arguments(open=True), node)
        elif name in _AWAITS or (name in ("submit", "map") and known.name.endswith("ThreadPoolExecutor")):
            self._call_back(arguments, node)

    def _asks_for_loaders(self, arguments: Arguments, node: ast.AST) -> None:
        """Read what a trainer does with a model or data module of the project: it asks it for its loaders."""
        for value in arguments.all():
            if isinstance(value, Object):
                for name in _GIVE_LOADERS:
                    if value.cls.find(name):
                        self.iterate(self.call(self.attribute(value, name, node), Arguments(), node), node)

    def _inherited(self, owner: Object, name: str, arguments: Arguments) -> Value:
        """Read a call of a method that a class of the project has from a library's class."""
        for base in map(knowledge.canonical, owner.cls.known_bases()):
            if name == "__init__":
                (owner.real or owner).base_arguments = arguments
            how = knowledge.start_of_method(base, owner.base_arguments or Arguments(), name, arguments)
            if how:
                self.start(how, base.method or context_of(owner.base_arguments or arguments))
        return UNKNOWN


def _launched(value: Value, known: Known) -> Value:
    if not isinstance(value, Function):
        return UNKNOWN
    return Function(value.node, value.scope, value.source, value.defaults, value.bound, known, value.owner, value.role)

"""What the tests of the transports share: hold a report against what really happens."""

from picklecheck import explain, explain_call


def culprits(report):
    return {failure.path: failure.kind for failure in report.failures}


def check(obj, name, expected, **options):
    """Explain an object, see that its paths lead to the culprits, and compare them with what is expected."""
    report = explain(obj, name=name, **options)
    assert culprits(report) == expected, str(report)
    for failure in report.failures:
        for path in failure.paths:
            if not path.startswith("type("):
                assert eval(path, {name: obj}) is failure.obj, path
    return report


def check_call(expected, target, args=(), kwargs=None, **options):
    report = explain_call(target, args, kwargs, **options)
    assert culprits(report) == expected, str(report)
    for failure in report.failures:
        assert eval(failure.path, {"target": target, "args": args, "kwargs": kwargs}) is failure.obj
    return report


def error_of(call, *args, **kwargs):
    """Give the exception that a call ends with; None where it returns."""
    try:
        call(*args, **kwargs)
    except Exception as error:
        return error
    return None

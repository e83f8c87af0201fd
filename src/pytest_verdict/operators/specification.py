"""An operator as a setting of another operator: read back from the form in which settings are recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.registry import REGISTRY
from pytest_verdict.values.display import shown
from pytest_verdict.values.encoding import decode

_KEYS: Final = {"operator", "version", "settings"}


def is_specification(value: Any) -> bool:
    """Say whether a value is the recorded form of an operator.

    Args:
        value: Any value.

    Returns:
        True for a mapping with the key ``operator`` and no keys but ``operator``, ``version`` and ``settings``.
    """
    return isinstance(value, Mapping) and "operator" in value and _KEYS.issuperset(value)


def operator_from_settings(value: Any) -> Operator:
    """Make an operator of whatever may stand for one in a setting.

    Args:
        value: An operator, an operator class, a registered name, or the recorded form
            ``{"operator": name, "version": 1, "settings": {...}}``, in which version and settings may be left out.

    Returns:
        The operator.

    Raises:
        SettingsError: The value is none of these, or a setting in it is wrong.
        UnknownOperatorError: No operator of that name is registered.

    Example:
        >>> operator_from_settings({"operator": "exact"}).recorded_name()
        'exact'
    """
    if isinstance(value, Operator):
        return value
    if isinstance(value, type) and issubclass(value, Operator):
        return value()
    if isinstance(value, str):
        return REGISTRY.build(value)
    if not is_specification(value) or not isinstance(value["operator"], str):
        raise SettingsError(
            f"an operator is given as an object, a registered name or {{'operator': name, 'settings': {{...}}}},"
            f" got {shown(value, 80)}"
        )
    settings = value.get("settings") or {}
    if not isinstance(settings, Mapping):
        raise SettingsError(f"the settings of {value['operator']} are an object, got {shown(settings, 80)}")
    return REGISTRY.build(value["operator"], {name: decode(setting) for name, setting in settings.items()})

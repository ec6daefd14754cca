"""Suites that several implementations of one port must pass."""

import pytest

pytest.register_assert_rewrite("tests.contracts.history_store_contract")

"""The state of a concrete run: values, memory and the call stack."""

"""What CUDA calls things, written once: scopes, limits, and what each device call is.  Imports nothing of hgrd.

What a call means is said by the interpreters: `protocol.device_calls`, `simulate.lockstep.device` and
`simulate.interleaving`.
"""

"""Synchronisation idioms: acquire and release, locks, flags, counters, tickets, queues, and flaws in them."""

"""Decision procedure for queries; independent of CUDA.

`decide` (in `decide.py`) takes a query through these steps until one of them answers:

- `problem`, `prepare`: conditions become claims on polynomials (`normal`, `builder`, `division`, `bitwise`),
  bounds are propagated (`bounds`), all with exact C semantics; a contradiction is a proof.
- `refute`: linear arithmetic over monomials (`linear`), with integer tautologies where its model is not a
  model of the query (`lemmas`); after a near miss once more with the shared values fixed (`pinned`).
- `launches`: a few tiny launches, all threads at once (`definitions`, `sampling`, `vectors`, `invented_arrays`): for
  queries that lemmas do not refute, and to show a conflict that they have found in a smaller launch.
- `smtlib`: z3's bit-vectors where there are bit operations; at last z3's own nonlinear integers (`reading`).

A model counts only after exact evaluation.  A proof that assumes arithmetic not to wrap is asked again
with wraps (`wrapping`).  `session` keeps z3 (`z3_process`) and the answers.
"""

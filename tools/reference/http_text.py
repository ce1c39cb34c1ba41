"""
The parts of the page about the HTTP interface that no value of the code holds.

What concerns one endpoint stands in its value (`unveil.transport.http.endpoints`). Here is what concerns all of them,
and what introduces an example or a table that the page makes from other rooms.
"""

from __future__ import annotations

from typing import Final

INTRODUCTION: Final = """\
A unit listens at one HTTPS address; owners listen nowhere, they call. This page is for whoever writes a client, such as
a program for reviewers, or guards the network between the parties. The three units share one interface. Each serves
its own OpenAPI document at `/openapi.json`.

* **TLS 1.3 only.** Plain HTTP and older versions get no answer.
* **Parties show a certificate.** One that the unit's authority did not sign, or that is not in force, ends the
  connection. Whose it is follows from its public key, which the project file lists: one role in one project. The name
  in it does not matter.
* **People show a token**: `Authorization: Bearer unveil.…`. A token stands for a reviewer or an operator in one project
  at one unit, and it expires. The unit keeps its hash alone.
* **Every refusal is the same**: no certificate, one that the project does not list, another role, another project, an
  expired token, a project or path that does not exist are all answered with 403 and `{"problem": "refused"}`.
* **Nothing is read before that.** Then the head of the request is checked, then its length, then the body.
"""

ANSWERS: Final = """\
200 and 204 mean that it is done, and durable. Every problem is `{"problem": "…"}`, in words for a person; it names
fields and limits, never a value. 403, 409, 410, 413, 415 and 422 will be the same if you try again; 425 and 503 are
worth another try, after a pause that grows (503 says how long in `Retry-After`).
"""

REVIEW: Final = """\
## Reviews

`GET …/tasks` lists the pairs that wait for a verdict, as they may be shown. A cell is an attribute, or two names that
changed places. Its `state` is `equal`, `dissimilar`, `missing`, `shown` or `withheld`; `left` and `right` are masked,
and [how it works](how-it-works.md#the-masked-display) explains their signs. `stage` is `masked`, `differing` or `full`.
`withheld` names what an owner did not let go.

`POST …/tasks/{task}/cells` opens an attribute with `can_open` up to a stage and returns the task as it is shown then.
An opening cannot be undone, and it is in the log. `PUT …/tasks/{task}/verdict` decides: `match` is true, false, or null
for unsure, and `p` is how sure you are, 0.5 a coin toss and 1 certain. The values are then erased. The same verdict may
be given again, as after a lost answer; another one for the same task is refused. Two people may work at the same time:
whoever decides a task first has decided it.
"""

STATUS: Final = """\
## Status

`GET /v1/projects/{project}` gives the fields below; what is not known, not for the caller, or no more there once the
project is closed is null. Counts of pairs and tasks are for operators alone, since an owner could learn from them who
is in the other register. A caller ignores fields that it does not know.
"""

#: Of each unit, what its status tells.
METRICS: Final = """\
## Metrics

In Prometheus' text format. Counts are since the process started; gauges of a project are those of the token's own
project. [What to look at](deployment.md#gauges).
"""

#: Of limits that a project file may change: how.
CHANGED_BY_PROJECTS: Final = {"frame": "unless the project file sets another `message_bytes`"}

#: Of each limit: what it bounds, and in what it is counted.
LIMITS: Final = {
    "frame": (f"body of a message, {CHANGED_BY_PROJECTS['frame']}", "bytes"),
    "text": ("JSON body", "bytes"),
    "depth": ("nesting of JSON", "levels"),
    "headers": ("all headers together, with 64 more for each", "bytes"),
    "query": ("query", "bytes"),
    "token": ("the header with a token", "bytes"),
    "requests": ("requests at work at the same time, a quarter of them for one caller; more get 503", ""),
    "polls": ("long polls at the same time, a quarter of them for one caller; more get 503", ""),
    "connections": ("connections at the same time; more are cut", ""),
    "threads": ("threads that work on requests", ""),
    "receive_s": ("from a request's first byte to its last; slower ones are cut", "s"),
    "wait_s": ("a long poll, whatever it asks for", "s"),
    "poll_s": ("between two looks for mail during a long poll, should nothing have woken it", "s"),
}

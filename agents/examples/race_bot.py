#!/usr/bin/env python3
"""A bot for the snooker race (protocol 1), with the standard library alone.

It plays the ball on towards the pocket for which the cut is thinnest; nothing is
simulated. The full state comes with every request, so it remembers only what
`new_game` said of the table.

Try it:  cuebench check-bot -- python3 agents/examples/race_bot.py
"""

import json
import math
import sys

RADIUS = 28_500  # of a ball, micrometres


def say(**message):
    # One object a line, and out of the buffer at once: the commonest slip is no flush.
    print(json.dumps(message), flush=True)


def pockets(match):
    """The aim point of each pocket, from the geometry that `new_game` publishes."""
    return [tuple(pocket["aim"]) for pocket in match["board"]["geometry"]["pockets"]]


def angle_mdeg(frm, to):
    degrees = math.degrees(math.atan2(to[1] - frm[1], to[0] - frm[0]))
    return round(degrees * 1000) % 360_000


def stroke(state, aims):
    balls = {name: at for name, at in state["balls"].items() if at is not None}
    white = balls.pop("white")
    if state["ball_on"] != "any":
        balls = {state["ball_on"]: balls[state["ball_on"]]}
    best = None
    for at in balls.values():
        for aim in aims:
            reach = math.dist(at, aim)
            # Where the white must be when it touches the ball ("ghost ball").
            ghost = [at[i] + (at[i] - aim[i]) / reach * 2 * RADIUS for i in (0, 1)]
            run = math.dist(white, ghost)
            if run == 0:
                continue
            cut = sum((ghost[i] - white[i]) / run * (aim[i] - at[i]) / reach for i in (0, 1))
            if best is None or cut > best[0]:
                best = (cut, ghost, run + reach)
    cut, ghost, way = best
    if cut < 0.1:  # no way to a pocket: just hit it
        ghost = min(balls.values(), key=lambda at: math.dist(white, at))
    power = min(600, 150 + round(way / 10_000))
    return angle_mdeg(white, ghost), power


def main():
    aims = []
    for line in sys.stdin:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            say(type="hello", id=message["id"], name="ghost ball", version="1")
        elif kind == "new_game":
            aims = pockets(message["match"])
            say(type="ready", id=message["id"])
        elif kind == "move":
            angle, power = stroke(message["state"], aims)
            say(type="move", id=message["id"], angle=angle, power=power)
        elif kind == "error":
            print(message["message"], file=sys.stderr)
        elif kind == "quit":
            break
        # Everything else is a notice that need not be understood.


if __name__ == "__main__":
    main()

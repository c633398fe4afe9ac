#!/usr/bin/env python3
"""A bot for chess pool (protocol 1), with the standard library alone.

It hits the nearest ball that it may hit first, full in the face, and calls the move that
this carries out if the target stands behind that ball.

Try it:  cuebench check-bot --game chess-pool -- python3 agents/examples/chess_pool_bot.py
"""

import json
import math
import sys

PIECES = {"solids": ["1", "2", "3", "4"], "stripes": ["9", "10", "11", "12"]}
HEAD_SPOT = [635_000, 635_000]


def say(**message):
    # One object a line, and out of the buffer at once: the commonest slip is no flush.
    print(json.dumps(message), flush=True)


def mdeg(a, b):
    """The direction from a to b, thousandths of a degree."""
    return round(math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])) * 1000) % 360_000


def free_place(balls):
    """A place behind the head string that overlaps no ball."""
    for y in range(100_000, 1_200_000, 60_000):
        if all(math.dist([600_000, y], at) > 57_001 for at in balls.values()):
            return [600_000, y]
    return HEAD_SPOT


def shot(state):
    balls = {name: at for name, at in state["position"].items() if name != "cue"}
    cue = free_place(balls) if state["cue_in_hand"] else state["position"]["cue"]
    first = [ball for ball in PIECES[state["shooter"]] if ball in balls] or ["8"]
    ball = min(first, key=lambda name: math.dist(cue, balls[name]))
    angle = mdeg(cue, balls[ball])
    call = {"kind": "slop"}
    for legal in state["calls"]:
        if legal.get("capturer") == ball:
            onward = mdeg(balls[ball], balls[legal["target"]])
            if min((onward - angle) % 360_000, (angle - onward) % 360_000) < 3_000:
                call = legal
    answer = {"call": call, "angle": angle, "power": 400}
    return answer | {"cue": cue} if state["cue_in_hand"] else answer


def answer(state):
    phase = state["phase"]
    if phase == "break":
        return {"cue": HEAD_SPOT, "angle": 0, "power": 900}
    if phase == "side":
        return {"side": "solids"}
    if phase == "king":
        return {"replace": state["king_choices"][0]}
    return shot(state)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            say(type="hello", id=message["id"], name="full-face", version="1")
        elif kind == "new_game":
            say(type="ready", id=message["id"])
        elif kind == "move":
            say(type="move", id=message["id"], **answer(message["state"]))
        elif kind == "error":
            print(message["message"], file=sys.stderr)
        elif kind == "quit":
            break
        # Everything else is a notice that need not be understood.


if __name__ == "__main__":
    main()

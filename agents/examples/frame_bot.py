#!/usr/bin/env python3
"""A bot for frames (protocol 1), with the standard library alone.

It attacks when its own chance of a pot is good enough, by the numbers that come with
the state, and plays safe otherwise.

Try it:  cuebench check-bot --game frame -- python3 agents/examples/frame_bot.py
"""

import json
import math
import sys

ENOUGH = 0.45  # chance of a pot from which it attacks


def say(**message):
    # One object a line, and out of the buffer at once: the commonest slip is no flush.
    print(json.dumps(message), flush=True)


def action(state):
    if "call_safety" not in state["actions"] or "call_shot" not in state["actions"]:
        return state["actions"][0]
    skill = state["skills"][state["shooter"]]
    difficulty = state["parameters"]["D." + state["leave"]]
    chance = 1 / (1 + math.exp(difficulty - skill))
    return "call_shot" if chance >= ENOUGH else "call_safety"


def main():
    for line in sys.stdin:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            say(type="hello", id=message["id"], name="cautious", version="1")
        elif kind == "new_game":
            say(type="ready", id=message["id"])
        elif kind == "move":
            say(type="move", id=message["id"], action=action(message["state"]))
        elif kind == "error":
            print(message["message"], file=sys.stderr)
        elif kind == "quit":
            break
        # Everything else is a notice that need not be understood.


if __name__ == "__main__":
    main()

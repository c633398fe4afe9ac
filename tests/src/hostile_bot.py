"""A bot for the race that misbehaves in the way its argument says. Standard library alone."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

mode = sys.argv[1]
out = sys.stdout


def say(**message):
    out.write(json.dumps(message) + "\n")
    out.flush()


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def for_ever():
    while True:
        time.sleep(60)


def peek():
    """Looks for the secret of the event and tries to tamper with its files."""
    found = []
    here = os.getcwd()
    event = os.path.dirname(os.path.dirname(here))
    for folder, _, names in os.walk(event):
        for name in names:
            path = os.path.join(folder, name)
            try:
                with open(path, errors="replace") as file:
                    found.append("READ " + path + " " + file.read())
            except OSError:
                pass
    for name in ["games.csv", "manifest.json", ".salt"]:
        try:
            with open(os.path.join(event, name), "a") as file:
                file.write("tampered")
        except OSError:
            found.append("REFUSED " + name)
    with open(os.path.join(here, "own.txt"), "w") as file:
        file.write("mine")
    found.append("OWN " + open(os.path.join(here, "own.txt")).read())
    found.append("SECRET_OF_THE_HARNESS " + os.environ.get("ORGANISER_SECRET", "absent"))
    print("\n".join(found), file=sys.stderr, flush=True)


def escape():
    """Starts a process that keeps neither group, session, environment nor parent."""
    # Only its argument tells whose it is.
    length = "1000." + os.environ["CUEBENCH_TEST_MARK"].rsplit("-", 1)[1]
    subprocess.run(["sh", "-c", f"env -i setsid sleep {length} >/dev/null 2>&1 </dev/null &"])


def move(id):
    reply = {"type": "move", "id": id, "angle": 90000, "power": 500}
    if mode == "silent_move":
        for_ever()
    elif mode == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "exit_move":
        sys.exit(7)
    elif mode == "flood":
        while True:
            raw(b"x" * 65536)
    elif mode == "flood_logs":
        while True:
            raw(b'{"type":"log","text":"again"}\n' * 1000)
    elif mode == "half_line":
        raw(b'{"type":"move","id":%d' % id)
        for_ever()
    elif mode == "late":
        time.sleep(1.3)
    elif mode == "slow":
        time.sleep(0.1)
    elif mode == "twice":
        say(**reply)
    elif mode == "wrong_id":
        reply["id"] = id + 1000
    elif mode == "long_line":
        for _ in range(100):
            raw(b"x" * 1_000_000)
        raw(b"\n")
    elif mode == "utf8":
        raw(b"\xff\xfe\xfd\n")
    elif mode == "words":
        raw(b"thinking...\n")
    elif mode == "illegal":
        reply["angle"] = 360000
    elif mode == "fraction":
        reply["power"] = 1.5
    elif mode == "no_power":
        del reply["power"]
    elif mode == "memory":
        hoard = []
        while True:
            hoard.append(bytearray(os.urandom(1 << 20)))
    elif mode == "processes":
        for _ in range(30):
            subprocess.Popen(["sleep", "1000"])
        for_ever()
    elif mode == "cpu":
        for _ in range(4):
            subprocess.Popen(["sh", "-c", "while :; do :; done"])
        for_ever()
    elif mode == "close":
        os.close(1)
        for_ever()
    say(**reply)


if mode == "exit":
    sys.exit(3)
if mode == "silent_hello":
    for_ever()
if mode in ("ignore_term", "ignore_all"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "stderr":
    def chatter():
        while True:
            sys.stderr.write("y" * 65536)
    threading.Thread(target=chatter, daemon=True).start()
if mode == "forks":
    subprocess.Popen(["sleep", "1000"])
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    # An orphan of its own session, whose parent has gone.
    subprocess.run(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 </dev/null &"])
if mode == "peek":
    peek()
if mode == "escapes":
    escape()
if mode == "ponder":
    def think():
        while True:
            sum(range(1000))
    threading.Thread(target=think, daemon=True).start()

for line in sys.stdin:
    message = json.loads(line)
    kind = message.get("type")
    if kind == "hello":
        if mode == "version":
            say(type="hello", id=message["id"])
        say(type="hello", id=message["id"], name=mode, version="1")
    elif kind == "new_game":
        if mode == "silent_ready":
            for_ever()
        say(type="ready", id=message["id"])
    elif kind == "move":
        move(message["id"])
        used = time.process_time()
    elif kind == "game_over" and mode == "ponder":
        ms = round(1000 * (time.process_time() - used))
        print(f"used {ms} ms beside its turns", file=sys.stderr, flush=True)
    elif kind == "quit" and mode not in ("ignore_term", "ignore_all"):
        break
if mode == "escapes":
    escape()
if mode in ("ignore_term", "ignore_all"):
    for_ever()

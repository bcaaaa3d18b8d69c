"""
Orca's customisations for the campaign: each utterance becomes a line of JSON in the file that HOLDFAST_SPOKEN names, and no voice is needed.
"""

import json
import os
import time

from orca import settings, speech

_spoken = open(os.environ["HOLDFAST_SPOKEN"], "a", encoding="utf-8", buffering=1)


def _write(kind, text=""):
    _spoken.write(json.dumps({"at": time.time(), "kind": kind, "text": text}) + "\n")


def _speak(text, acss, interrupt):
    _write("speech", text)


def _stop():
    _write("stop")


speech._speak = _speak
speech.stop = _stop
settings.speechFactoryModules = []
# What the person types is no news to them.
settings.enableKeyEcho = False
settings.enableEchoByCharacter = False
settings.enableEchoByWord = False

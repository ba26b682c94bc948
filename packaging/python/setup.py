"""Builds the wheel against an installed ode-peg, which pkg-config must find."""
import subprocess

from setuptools import setup

setup(
    version=subprocess.run(["pkg-config", "--modversion", "ode-peg"], capture_output=True, text=True, check=True).stdout.strip(),
    cffi_modules=["odepeg/_build.py:ffibuilder"],
)

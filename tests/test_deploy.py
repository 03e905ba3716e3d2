"""The files by which Askwise is run on servers: parsed and checked, and tried where the machine has the programs."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from sites import served

from askwise.cli import commands
from askwise.commands import serve
from askwise.web.limits import VOTES_BYTES

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
DEPLOY = ROOT / "deploy"


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, in order, with their continued lines."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL"}
    known |= {"HEALTHCHECK", "ENTRYPOINT", "CMD"}
    found = [(line.split()[0], line.partition(" ")[2].strip()) for line in lines]
    assert {name for name, _ in found} <= known
    return found


def one(name: str) -> str:
    found = [text for key, text in instructions() if key == name]
    assert len(found) == 1, (name, found)
    return found[0]


def options_are_known(arguments: list[str]) -> None:
    """Whether `askwise` takes them; without a project it gets no further."""
    assert arguments[0] in commands.list_commands(None)  # type: ignore[arg-type]
    said = CliRunner().invoke(commands, [*arguments, "--port", "0"])
    assert "holds no project" in str(said.exception), said.output


def test_the_image_does_not_run_as_root_and_has_what_it_needs() -> None:
    names = [name for name, _ in instructions()]
    assert names[0] == "FROM"
    assert "root" not in one("USER")
    assert names.index("USER") < names.index("ENTRYPOINT")
    for text in (text for name, text in instructions() if name == "COPY"):
        *sources, _ = text.split()
        for source in sources:
            assert (ROOT / source).exists()
            assert f"!{source.removeprefix('./')}" in (ROOT / ".dockerignore").read_text().split()
    extras = re.search(r"'\.\[([\w,]+)\]'", " ".join(text for name, text in instructions() if name == "RUN"))
    assert extras is not None
    declared = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = ", declared, re.MULTILINE) for extra in extras[1].split(","))
    assert not re.search("password|token|secret", (DEPLOY / "Dockerfile").read_text(), re.IGNORECASE)
    assert json.loads(one("ENTRYPOINT")) == ["askwise"]
    options_are_known(json.loads(one("CMD")))


def test_the_health_check_of_the_image(tmp_path: Path) -> None:
    command = json.loads(one("HEALTHCHECK").partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    with served(tmp_path / "project") as site:
        check = [sys.executable, "-c", command[2].replace("8000", str(site.port))]
        assert subprocess.run(check, capture_output=True).returncode == 0
    assert subprocess.run(check, capture_output=True).returncode != 0


def test_compose() -> None:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = found["services"]
    assert set(services) == {"askwise", "database", "caddy"}
    ours = services["askwise"]
    assert (DEPLOY / ours["build"]["context"] / ours["build"]["dockerfile"]).is_file()
    assert services["database"]["image"].startswith("postgres:")
    assert ours["depends_on"]["database"]["condition"] == "service_healthy"
    subnet = found["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert ip_network(ours["environment"]["ASKWISE_PROXIES"]) == ip_network(subnet)
    known = {parameter.envvar for parameter in serve.command.params} | {
        "ASKWISE_PASSWORD",
        "ASKWISE_TOKEN",
        "PGPASSWORD",
    }
    assert set(ours["environment"]) <= known
    assert "ports" not in ours, "people come by HTTPS"
    for service in services.values():
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith(".") else source in found["volumes"]
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name or "TOKEN" in name:
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), "secrets come from the environment"


def test_the_unit_of_systemd(tmp_path: Path) -> None:
    text = (DEPLOY / "askwise.service").read_text()
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    service = unit["Service"]
    program, *arguments = shlex.split(service["ExecStart"])
    assert program.endswith("/askwise")
    options_are_known(arguments)
    assert service["User"] != "root"
    assert service["UMask"] == "0077"
    if shutil.which("systemd-analyze"):
        changed = tmp_path / "askwise.service"
        changed.write_text(re.sub("User=.*\nGroup=.*", "DynamicUser=yes", text.replace(program, sys.executable)))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", changed], capture_output=True, text=True)
        assert "askwise.service" not in done.stderr, done.stderr


def blocks(text: str) -> list[tuple[tuple[str, ...], str]]:
    """The directives of a file of nginx: the blocks that each is in, and its words."""
    found: list[tuple[tuple[str, ...], str]] = []
    inside: list[str] = []
    text = re.sub(r"#[^\n]*", "", text)
    for words, end in re.findall(r"([^;{}]*)([;{}])", text):
        words = " ".join(words.split())
        if end == "{":
            inside.append(words)
        elif end == ";":
            assert words
            found.append((tuple(inside), words))
        else:
            assert not words, f"no semicolon after {words}"
            inside.pop()
    assert inside == []
    return found


def test_nginx(tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    site = [words for inside, words in blocks(text) if inside[:1] == ("server",)]
    assert "proxy_set_header X-Forwarded-For $remote_addr" in site, "what the client claims is not handed on"
    assert "proxy_set_header X-Forwarded-Proto $scheme" in site
    assert f"client_max_body_size {VOTES_BYTES // 1024**2}m" in site
    assert "access_log off" in site
    assert "client_header_timeout 10s" in site
    assert any(words.startswith("limit_conn ") for words in site)
    assert (("server", "location = /metrics"), "return 404") in blocks(text)
    if shutil.which("nginx"):
        plain = (
            re.sub(r"ssl_certificate[^;]*;", "", text).replace("443 ssl", "8443").replace("listen 80;", "listen 8080;")
        )
        whole = tmp_path / "nginx.conf"
        whole.write_text(f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n{plain}\n}}\n")
        done = subprocess.run(["nginx", "-t", "-c", whole, "-p", tmp_path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_caddy() -> None:
    text = re.sub(r"#[^\n]*", "", (DEPLOY / "Caddyfile").read_text())
    text = re.sub(r"\{\$\w+(:[^}]*)?\}|\{[a-z_]+\}", "value", text)  # what Caddy fills in
    depth = 0
    for line in text.splitlines():
        depth += line.rstrip().endswith("{") - (line.strip() == "}")
        assert depth >= 0
        assert line.count("{") + line.count("}") <= 1, "Caddy wants a brace at the end of its line"
    assert depth == 0
    assert re.search(r"reverse_proxy value \{\s+header_up X-Forwarded-For value\s+\}", text)
    assert f"max_size {VOTES_BYTES // 1024**2}MB" in text
    if shutil.which("caddy"):
        command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
        assert subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.parametrize("path", [*sorted(DEPLOY.iterdir()), ROOT / "docs" / "running.md"], ids=lambda path: path.name)
def test_what_runs_it_is_described(path: Path) -> None:
    described = (ROOT / "docs" / "running.md").read_text()
    assert path.name in described or path.name == "running.md"
    named = re.findall(r"\bASKWISE_[A-Z]+", path.read_text())
    known = {"ASKWISE_PASSWORD", "ASKWISE_TOKEN", "ASKWISE_PUBLIC", "ASKWISE_PROXIES", "ASKWISE_STORE"}
    assert set(named) <= known | {"ASKWISE_HOST", "ASKWISE_UPSTREAM"}

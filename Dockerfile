# The app in a container: a user without rights, a root that is read only, nothing written but /tmp.
#   docker build -t hierviz .
#   docker run --rm --read-only --tmpfs /tmp:size=2g --cap-drop ALL --security-opt no-new-privileges -p 127.0.0.1:8501:8501 hierviz
# docs/deployment.md has the rest. `requirements.txt` has the exact versions for this Python.
ARG PYTHON=3.11
FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE CHANGELOG.md CITATION.cff requirements.txt app.py ./
COPY .streamlit .streamlit
COPY models models
COPY assets assets
COPY hierviz hierviz
RUN python -m venv /opt/hierviz \
 && /opt/hierviz/bin/pip install --no-cache-dir -r requirements.txt \
 && /opt/hierviz/bin/pip install --no-cache-dir ".[app,fast]" \
 && /opt/hierviz/bin/pip uninstall --yes pip

FROM python:${PYTHON}-slim
RUN useradd --system --uid 10001 --home-dir /tmp --shell /usr/sbin/nologin hierviz
COPY --from=build /opt/hierviz /opt/hierviz
ENV PATH=/opt/hierviz/bin:$PATH HOME=/tmp TMPDIR=/tmp NUMBA_CACHE_DIR=/tmp/numba PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001
WORKDIR /tmp
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; assert u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4).read() == b'ok'"]
ENTRYPOINT ["hierviz"]
CMD ["app", "--host", "0.0.0.0", "--port", "8501", "--no-browser"]

# Python alone.
apt-get update -q && apt-get install -q -y --no-install-recommends python3-venv
python3 -m venv mine
mine/bin/pip install "$WHEEL" pytest
mine/bin/pytest test_gemm.py

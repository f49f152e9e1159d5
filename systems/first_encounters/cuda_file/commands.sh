# Python and g++, and a CUDA file.
apt-get update -q && apt-get install -q -y --no-install-recommends python3-venv g++
python3 -m venv mine
mine/bin/pip install "$WHEEL"
mine/bin/negzero check row_max.cu

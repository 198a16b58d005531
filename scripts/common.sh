# What the scripts share; sourced by them.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A toolkit outside PATH is found where its installer puts it.
if [[ -z ${CUDACXX:-} ]]; then
  CUDACXX=$(command -v nvcc || true)
  [[ -n $CUDACXX || ! -x /usr/local/cuda/bin/nvcc ]] || CUDACXX=/usr/local/cuda/bin/nvcc
fi
has_nvcc() { [[ -n $CUDACXX ]]; }
if has_nvcc; then export CUDACXX; else unset CUDACXX; fi

has_gpu() { nvidia-smi -L >/dev/null 2>&1; }

# Both backends where a toolkit is found; their kernels run on the device in software where there is no GPU.
default_preset() {
  if ! has_nvcc; then echo cpu; elif has_gpu; then echo cuda; else echo cuda-software; fi
}

# Objects are shared between clones and build folders.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Compilers of template-heavy files take up to 2 GB each. FIRN_JOBS overrides.
jobs() {
  local by_memory cores
  if [[ -n ${FIRN_JOBS:-} ]]; then echo "$FIRN_JOBS"; return; fi
  by_memory=$(awk '/MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  cores=$(nproc)
  echo $((by_memory < 1 ? 1 : by_memory < cores ? by_memory : cores))
}

say() { printf '\n== %s\n' "$*"; }

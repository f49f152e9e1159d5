"""torch.amax and torch.max(...).values of the same rows give zeros of other signs on a GPU."""
import torch

signs = torch.randint(0, 2, (64, 257), device="cuda", generator=torch.Generator("cuda").manual_seed(0))
x = torch.where(signs == 0, 0.0, -0.0)
amax, maximum, on_cpu = x.amax(1), x.max(1).values, x.cpu().amax(1)
differ = int((amax.signbit() != maximum.signbit()).sum())
print(f"PyTorch {torch.__version__}: of 64 rows of 0 and -0, {differ} differ; amax gives -0 in {int(amax.signbit().sum())}, "
      f"max in {int(maximum.signbit().sum())}, amax on the CPU in {int(on_cpu.signbit().sum())}")
raise SystemExit(differ == 0)

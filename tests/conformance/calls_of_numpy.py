"""Calls of NumPy's functions, with their options, on operands of any dtype: what `test_values` runs.

They are told apart by spaces. A call takes `a` and `b`, matrices of 3 rows and 4 columns, `v` and `w`,
vectors of 4, `s`, a square matrix of 3, and `T`, the operands' dtype.
"""

CALLS = """
np.sum(a,axis=0) np.sum(a,dtype=T) np.sum(a,dtype='f8') np.sum(a,where=a!=a[0,0]) np.sum(a,initial=2)
np.prod(a,axis=1) np.prod(v,dtype=T) np.prod(v,dtype='f4') np.prod(v,initial=2) np.cumsum(a)
np.cumsum(a,axis=0,dtype=T) np.cumulative_sum(v,include_initial=True) np.cumprod(v) np.cumprod(v,dtype=T)
np.cumulative_prod(v) np.trace(s) np.trace(s,dtype=T) np.trace(a,1) np.mean(a,axis=1)
np.mean(a,keepdims=True) np.mean(a,where=a!=a[0,0]) np.mean(a,dtype='c16') np.var(a) np.var(a,axis=0,ddof=1)
np.var(a,where=a!=a[0,0]) np.var(a,axis=1,keepdims=True,ddof=1) np.std(a) np.std(a,axis=0,ddof=1)
np.std(a,where=a!=a[0,0]) np.nansum(a,axis=0) np.nansum(a,dtype=T) np.nanprod(v) np.nanmean(a,axis=1)
np.nanvar(a) np.nanstd(a,axis=0) np.nancumsum(a) np.nancumprod(v) np.max(a,axis=0) np.min(a) np.nanmax(a)
np.nanmin(a,axis=1) np.max(a,initial=3) np.ptp(a,axis=1) np.sort(a) np.sort(a,axis=0) np.argsort(v)
np.median(a) np.median(a,axis=0) np.quantile(a,0.3) np.percentile(a,[20,70],axis=1)
np.quantile(a,0.4,method='lower') np.nanmedian(a,axis=0) np.partition(v,2) np.dot(a,b.T) np.dot(v,w)
np.vdot(v,w) np.vdot(a,b) np.inner(a,b) np.outer(v,w) np.matmul(a,b.T) np.tensordot(a,b,([0],[0]))
np.kron(v,w) np.kron(s,a) np.vecdot(a,b) np.vecdot(a,v) np.vecdot(a,b,axis=0) np.matvec(a,v)
np.vecmat(v,b.T) np.einsum('ij,ij->i',a,b) np.einsum('ij->',a) np.cross(s,s.T)
np.linalg.multi_dot([a,b.T,s]) np.linalg.vecdot(v,w) np.linalg.outer(v,w) np.linalg.matrix_power(s,2)
np.convolve(v,w) np.convolve(v,w[:2],'same') np.correlate(v,w) np.correlate(v,w,'full')
np.correlate(v,w[:2],'same') np.cov(a) np.cov(a,rowvar=False) np.cov(v,w) np.cov(a,ddof=0) np.corrcoef(a)
np.corrcoef(v,w) np.average(a) np.average(a,axis=1) np.average(a,axis=0,weights=[1,2,1]) np.diff(a)
np.diff(a,axis=0) np.diff(v,2) np.diff(v,prepend=1) np.ediff1d(v) np.gradient(v) np.gradient(v,2.0)
np.gradient(a,axis=1) np.trapezoid(v) np.trapezoid(a,dx=0.5,axis=0) np.unwrap(v) np.linspace(v[0],v[1],5)
np.linspace(v,w,3) np.linspace(v[0],3,4,endpoint=False) np.geomspace(v[1],w[1],4)
np.logspace(v[0]/50,v[1]/50,3) np.interp(2.5,[1,2,3,4],v) np.interp([0.5,9],[1,2,3,4],v,left=2,right=3)
np.polyval(v,w) np.polyder(v) np.polyint(v) np.polyadd(v,w) np.polymul(v,w) np.vander(v,3) np.pad(v,2)
np.pad(a,1,mode='edge') np.pad(v,3,mode='reflect') np.pad(v,9,mode='reflect',reflect_type='odd')
np.pad(a,((2,5),(0,1)),mode='symmetric',reflect_type='odd') np.pad(v,2,mode='wrap')
np.pad(v,2,constant_values=1) np.reshape(a,(4,3),order='F') np.ravel(a,'F') np.moveaxis(a,0,1) np.rot90(a)
np.roll(a,1,axis=1) np.tile(v,2) np.repeat(a,2,axis=0) np.flip(a) np.squeeze(a[None])
np.broadcast_to(v,(2,4)) np.concatenate([a,b],axis=None) np.stack([v,w],axis=1) np.hstack([v,w])
np.vstack([v,w]) np.dstack([a,b]) np.block([[a,b]]) np.append(v,3) np.insert(v,1,3) np.delete(v,1)
np.resize(v,7) np.trim_zeros(v) np.diag(v) np.diagflat(v) np.tril(a) np.triu(a,1) np.take(a,[0,2],axis=1)
np.compress([True,False,True],a,axis=0) np.choose([0,1,0,1],[v,w]) np.select([v!=v[0]],[w],7)
np.where(a!=a[0,0],a,b) np.extract(v!=v[0],v) np.take_along_axis(a,np.argsort(a),1) np.full_like(a,3)
np.nan_to_num(a) np.unique(a) np.bincount([0,1,1,2],w) np.histogram(v,3,weights=w)[0] a+b a*b a-b a/b a**2
abs(a) -a np.square(a) np.reciprocal(a) np.conj(a) np.real(a) np.imag(a) a@b.T np.exp(a/99) np.sqrt(a)
np.log(a) np.sin(a) np.tanh(a) np.cbrt(abs(a)) np.hypot(abs(a),abs(b)) np.arctan2(abs(a),abs(b))
np.logaddexp(abs(a),abs(b)) np.sign(a) np.absolute(a) np.maximum(a,b) np.fmin(a,b) np.clip(a,v[0],v[1])
np.sinc(a) np.deg2rad(abs(a)) np.copysign(abs(a),abs(b)) np.heaviside(abs(a),2) np.ldexp(abs(a),2)
np.float_power(a,2) np.i0(abs(v)/50) np.expm1(a/99) np.log1p(a) np.exp2(abs(a)/50) np.mod(abs(a),abs(b))
np.fabs(abs(a)) np.linalg.norm(a) np.linalg.norm(a,axis=0) np.linalg.norm(v,3) np.linalg.norm(s,'nuc')
np.linalg.norm(a,1) np.linalg.det(s) np.linalg.inv(s) np.linalg.solve(s,s[0]) np.linalg.slogdet(s)[1]
np.linalg.pinv(a) np.linalg.qr(a)[1] np.linalg.qr(a.T)[0] np.linalg.svd(a,full_matrices=False)[1]
np.linalg.svdvals(a) np.linalg.eigh(s@np.conj(s.T))[0] np.linalg.eigh(s@np.conj(s.T),UPLO='U')[1]
np.linalg.eigvalsh(s,UPLO='U') np.linalg.cholesky(s@np.conj(s.T))
np.linalg.cholesky(s@np.conj(s.T),upper=True) np.linalg.lstsq(a.T,v)[0] np.linalg.lstsq(a.T,v)[1]
np.linalg.cond(s) np.linalg.matrix_norm(a) np.linalg.vector_norm(a,axis=1,ord=1)
""".split()  # noqa: SIM905 - a table is read more easily than a list of texts

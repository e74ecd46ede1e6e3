// Hash seeds. Swift draws them from the same function as `Int.random(in:)`; then every module with
// a Dictionary would need the capability `random`, and hash values, which identify rows of lists,
// would change from start to start.
//
// The initialiser of the seeds is emitted into each object as a weak definition, so that this one
// takes its place; the seeds stay zero, the same in every run. A hostile peer can therefore choose
// colliding keys: a call's time limit bounds what that costs, and the app then serves the call
// itself.
void op_hash_seeds(void *context) __asm__("$es32_swift_stdlib_Hashing_parameters_WZ");

void op_hash_seeds(void *context) { (void)context; }

/** Names of styles by component: short, since they stand on every element. */
export default { compilerOptions: { runes: true, cssHash: ({ hash, filename }) => `s${hash(filename).slice(0, 4)}` } };

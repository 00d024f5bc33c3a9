/** Area cleanup. */
export default {};

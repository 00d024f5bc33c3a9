/** Area keys. */
export default {};

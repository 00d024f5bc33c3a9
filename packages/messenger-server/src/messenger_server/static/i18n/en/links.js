/** Area links. */
export default {};

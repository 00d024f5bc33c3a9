/** Area sign_in. */
export default {};

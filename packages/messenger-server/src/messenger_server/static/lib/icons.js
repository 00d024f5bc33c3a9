/** Icons: one stroke, 16 by 16, in the colour of the text beside them. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.5h3",
  back: "M9.5 3.5 5 8l4.5 4.5",
  bin: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 3.5 10.5 8 6 12.5",
  clip: "M12.5 7.5 7.8 12.2a3 3 0 0 1-4.3-4.3l5.2-5.2a2 2 0 0 1 2.9 2.9L6.5 10.7a1 1 0 0 1-1.4-1.4l4.3-4.3",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.5 3v10",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  eye: "M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  handle: "M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5v3.5M8 5v.01",
  key: "M10 9a3.5 3.5 0 1 0-3-1.5L2.5 12v1.5H5v-1.5h1.5v-1.5L8 9.3M10.8 5.2v.01",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  pencil: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3",
  reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5V5h-2.5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 13.5 13.5",
  thread: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  user: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.01",
};

/** @typedef {keyof typeof PATHS} IconName */

/** An icon that says nothing by itself: the button around it has a name. @param {IconName} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Starts the console: language, session, then the page that belongs to it. */

import { followHistory } from "./actions/navigation.js";
import { followRefresh } from "./actions/refresh.js";
import { followApi } from "./actions/session.js";
import { showAppearance } from "./lib/appearance.js";
import { preferredLanguage, useLanguage } from "./lib/i18n.js";
import { mountPage } from "./views/page.js";

showAppearance();
await useLanguage(preferredLanguage());
followApi();
followHistory();
followRefresh();
mountPage(document.body);

// Starts the page: the studio's three rooms, or the one view that an exported file carries.
import { render } from "preact";
import { App } from "./app";
import type { Exported } from "./contract";
import { ExportedPage } from "./exported/page";
import { applyTheme } from "./theme";

applyTheme();
const place = document.getElementById("studio")!;
const carried = document.getElementById("limelight-data")?.textContent;
place.textContent = "";
render(carried ? <ExportedPage data={JSON.parse(carried) as Exported} /> : <App />, place);

// Starts `freeboard lsp` and connects the editor with it.

const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** The client, while the extension is active. */
let client;

/** Starts the server when a document in one of the languages is opened. */
function activate() {
  const settings = workspace.getConfiguration("freeboard");
  const server = {
    command: settings.get("path"),
    args: ["lsp", "--time-limit", settings.get("timeLimit")],
    transport: TransportKind.stdio,
  };
  const languages = ["promela", "fsa", "room", "art"];
  client = new LanguageClient("freeboard", "freeboard", server, {
    documentSelector: languages.map((language) => ({ language })),
  });
  return client.start();
}

/** Shuts the server down. */
function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };

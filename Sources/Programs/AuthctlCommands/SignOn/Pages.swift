internal import ControlClient

/// Shows the pages at which a sign-on goes on, and opens those that belong into a browser of this machine.
final class Pages {
  private let terminal: Terminal
  private var browser: Browser?

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Shows an address, for a camera too where it may be gone to from anywhere.
  ///
  /// What ends at an address that is wanted here is no page for a telephone: that would have it, or look on itself for
  /// what is on this machine.
  func show(_ address: String, isForCamera: Bool) {
    guard isForCamera else { return terminal.show([Self.request, "  \(address)"]) }
    terminal.show([Self.request])
    terminal.show(address: address, orElse: "\"authctl login --browser\" takes a browser of this machine")
  }

  /// Opens an address whose page comes back to this machine; no camera is to lead elsewhere.
  func open(_ address: String) {
    do {
      let browser = try Browser(opening: address)
      self.browser = browser
      terminal.show(["\(browser.name) is opening this address:", "  \(address)"])
    } catch {
      terminal.show(["no browser is opened: \(error.reason)", Self.request, "  \(address)"])
    }
  }

  /// Why the browser that was opened did not open, once that is known; what is shown now gives way to it.
  func tellFailure(insteadOf shown: () -> Void) {
    guard let failure = browser?.failure else { return }
    shown()
    terminal.show(["\(failure): open the address yourself"])
  }

  private static let request: SafeText = "open this address in a browser:"
}

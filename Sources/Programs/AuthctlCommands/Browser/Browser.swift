internal import Configuration
internal import ControlClient
internal import Glibc
internal import Processes
internal import WebAddress

/// A web browser that is started with one address and outlives this program.
final class Browser {
  /// The error if no browser can be opened.
  struct BrowserUnavailable: Error {
    let reason: SafeText
  }

  let name: SafeText
  private let process: pid_t
  private var isOver = false

  /// Starts the first program of BROWSER that can be started or else, on a desktop, xdg-open(1).
  init(opening address: String) throws(BrowserUnavailable) {
    let page = try Self.checked(address)
    // After sudo(8) the desktop belongs to another user, and a browser must not process web pages as root.
    guard geteuid() != 0 else { throw BrowserUnavailable(reason: "root must not start one") }
    let commands = Self.commands
    guard !commands.isEmpty else {
      throw BrowserUnavailable(reason: "no desktop session, and BROWSER names no program")
    }
    for command in commands {
      guard let process = Self.start(Self.words(of: command, for: page.text)) else { continue }
      (self.process, name) = (process, "\(command[0])")
      return
    }
    let names = commands.map { "\($0[0])" as SafeText }.joined(separator: ", ")
    throw BrowserUnavailable(reason: "\(names) cannot be started")
  }

  /// The error of the browser program after it has failed; only the first read returns it.
  var failure: SafeText? {
    var status: Int32 = 0
    guard !isOver, waitpid(process, &status, WNOHANG) == process else { return nil }
    isOver = true
    return status == 0 ? nil : "\(name) failed"
  }

  /// Returns the parsed address.
  ///
  /// Throws unless it is an https or loopback address, because any other request could be intercepted.
  private static func checked(_ address: String) throws(BrowserUnavailable) -> WebURL {
    guard let page = WebURL(address), page.origin.scheme == .https || page.origin.isLoopback else {
      throw BrowserUnavailable(reason: "the address does not begin with https://")
    }
    return page
  }

  /// The commands of BROWSER, which colons separate, and xdg-open(1) on a desktop.
  private static var commands: [[String]] {
    let named = ProcessEnvironment.value("BROWSER")?.split(separator: ":").map { command in
      command.split(separator: " ").map(String.init)
    }
    let isOnDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { ProcessEnvironment.value($0) != nil }
    return (named ?? []).filter { !$0.isEmpty } + (isOnDesktop ? [["xdg-open"]] : [])
  }

  /// Returns the command with the address instead of %s, else at its end.
  private static func words(of command: [String], for address: String) -> [String] {
    let isPlaced = command.contains { $0.contains("%s") }
    return isPlaced ? command.map { $0.replacing("%s", with: address) } : command + [address]
  }

  private static func start(_ words: [String]) -> pid_t? {
    try? ChildProcess.start(
      words[0],
      Array(words.dropFirst()),
      environment: ChildEnvironment.variables,
      descriptors: (0..<3).map { _ in try ChildProcess.nullDevice() }
    )
  }
}

/// The environment for child processes: the variables of this program, except those that begin with MFAD_.
enum ChildEnvironment {
  static var variables: [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      variables.append(String(cString: text))
      entry += 1
    }
    return variables.filter { !$0.hasPrefix("MFAD_") }
  }
}

/// Shows the addresses of pages at which a sign-on continues, and opens some in a browser of this machine.
final class Pages {
  private let terminal: Terminal
  private var browser: Browser?

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Shows an address, and its QR code too if any device may open it.
  ///
  /// A page that redirects to this machine gets no QR code: a phone would open the redirection itself, and a
  /// loopback address there is the phone.
  func show(_ address: String, isForCamera: Bool) {
    guard isForCamera else { return terminal.show([Self.request, "  \(address)"]) }
    terminal.show([Self.request])
    terminal.show(address: address, orElse: "\"authctl login --browser\" opens a browser on this machine")
  }

  /// Opens an address that later redirects to this machine.
  ///
  /// Shows no QR code, so that the user opens the address on this machine.
  func open(_ address: String) {
    do {
      let browser = try Browser(opening: address)
      self.browser = browser
      terminal.show(["\(browser.name) is opening this address:", "  \(address)"])
    } catch {
      terminal.show(["no browser is opened: \(error.reason)", Self.request, "  \(address)"])
    }
  }

  /// Shows the browser's error, if there is one, after removing the current output with `shown`.
  func tellFailure(insteadOf shown: () -> Void) {
    guard let failure = browser?.failure else { return }
    shown()
    terminal.show(["\(failure): open the address yourself"])
  }

  private static let request: SafeText = "open this address in a browser:"
}

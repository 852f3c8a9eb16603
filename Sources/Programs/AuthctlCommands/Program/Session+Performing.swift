internal import ControlClient
internal import JSONRPC
internal import Usage

extension Session {
  /// Carries out another command as if it had been typed, with a connection of its own, and returns how it ended; only
  /// an interrupt ends this one too.
  func perform(_ words: [String]) throws(Failure) -> ExitCode {
    let socket = arguments["--socket"].map { ["--socket", $0] } ?? []
    do {
      guard case .run(let command, let arguments) = try CommandLineReader.read(socket + words) else {
        return .wrongUsage
      }
      try command.run(Session(command, arguments, output, timeout: nil, waiter: waiter))
      return .done
    } catch {
      if case .interrupted = error { throw error }
      output.report(error)
      return error.exitCode
    }
  }
}

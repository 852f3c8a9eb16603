internal import ControlClient
internal import Usage

extension Command {
  /// How long the daemon may take: somebody waits at every key.
  private static let limit = Duration.seconds(1)

  /// The commands as completion knows them; what is explained is named as what is carried out.
  static func completed(_ output: Output) -> [CompletedCommand] {
    let help = CompletedCommand(["help"], "explain a command", Option.common)
    let none = CompletedCommand([], "", Option.common)
    return [none, help] + all.flatMap { [$0.completed(output), $0.explained] }
  }

  private var nameWords: [String] { name.split(separator: " ").map(String.init) }

  private var explained: CompletedCommand {
    CompletedCommand(["help"] + nameWords, summary.text, Option.common)
  }

  /// Where the daemon cannot be asked there are no operands.
  private func completed(_ output: Output) -> CompletedCommand {
    CompletedCommand(nameWords, summary.text, options + Option.common) { arguments in
      guard let operands else { return [] }
      return (try? operands.find(Session(self, arguments, output, timeout: Self.limit))) ?? []
    }
  }
}

import AuthctlCommands
import Glibc

@main
struct Main {
  static func main() { exit(Program.run(CommandLine.arguments)) }
}

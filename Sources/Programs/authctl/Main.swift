import AuthctlCommands
import Processes

@main
struct Main {
  static func main() { OwnArguments.run("authctl", Program.run) }
}

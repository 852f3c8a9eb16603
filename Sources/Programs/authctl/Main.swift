import AuthctlCommands
import Processes

@main
struct Main {
  static func main() { ProcessArguments.run("authctl", Program.run) }
}

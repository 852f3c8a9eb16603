import Processes
import Sandbox

@main
enum PingOneSandbox {
  nonisolated static func main() { ProcessArguments.run("pingone-sandbox", SandboxProgram.run) }
}

import Foundation
import PackagePlugin

/// Binds GCD's names to RingDispatch's types in every file of a target, without changes to its
/// sources. Clients of the target do not see the names.
///
/// For targets whose public signatures use none of them; `UseRingDispatch` suits all targets.
@main
struct UseRingDispatchInternally: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let file = context.pluginWorkDirectoryURL.appending(path: "RingDispatchNames.swift")
        return [
            .buildCommand(
                displayName: "Generating RingDispatch names for \(target.name)",
                executable: try context.tool(named: "generate-dispatch-names").url,
                arguments: ["internal", file.path], outputFiles: [file])
        ]
    }
}

import Foundation
import PackagePlugin

/// Gives a target RingDispatch's types under GCD's names, in every file, with no source edited, and
/// keeps this from those who import the target.
///
/// For targets whose public signatures have none of these names. `UseRingDispatch` is for all.
@main
struct UseRingDispatchInternally: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let file = context.pluginWorkDirectoryURL.appending(path: "RingDispatchNames.swift")
        return [
            .buildCommand(
                displayName: "Giving \(target.name) the names of RingDispatch",
                executable: try context.tool(named: "generate-dispatch-names").url,
                arguments: ["internal", file.path], outputFiles: [file])
        ]
    }
}

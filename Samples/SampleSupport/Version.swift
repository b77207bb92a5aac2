/// What `--version` prints. There is no release yet. `ringload` has the same one, in its reports.
package let programVersion = "0.1-dev"

//! A search as a job array of a real Slurm: munged, slurmctld and slurmd of Debian's packages, started here on the loopback.

mod common;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{mechanism, recorded, text};
use testkit::skip;

/// A cluster of this machine alone, as long as it lives.
struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Drop for Cluster {
    /// The controller has a helper that ends when it is told to end, and not when it is killed.
    fn drop(&mut self) {
        for daemon in self.daemons.iter().rev() {
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
        }
        let limit = Instant::now() + Duration::from_secs(10);
        for daemon in &mut self.daemons {
            while matches!(daemon.try_wait(), Ok(None)) && Instant::now() < limit {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

impl Cluster {
    /// Errors: why there is none; for people.
    fn start() -> Result<Self, String> {
        let missing =
            ["munged", "slurmctld", "slurmd", "sbatch", "sinfo"].into_iter().find(|name| program(name).is_none());
        if let Some(name) = missing {
            return Err(format!("{name} is not installed (Debian: slurmctld, slurmd, slurm-client, munge)"));
        }
        let user = Command::new("id").arg("-u").output().map_err(|error| error.to_string())?;
        if user.stdout != b"0\n" {
            return Err("only root may run slurmd".into());
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut cluster = Self { folder, daemons: Vec::new() };
        cluster.configure()?;
        let munge = |name: &str| cluster.path(&format!("munge/{name}")).display().to_string();
        let options =
            ["socket", "key-file", "pid-file", "log-file", "seed-file"].map(|name| format!("--{name}={}", munge(name)));
        let options: Vec<&str> =
            ["--force", "--foreground"].into_iter().chain(options.iter().map(String::as_str)).collect();
        cluster.daemon("munged", &options)?;
        cluster.wait("munged", |cluster| cluster.path("munge/socket").exists())?;
        cluster.daemon("slurmctld", &["-D"])?;
        cluster.daemon("slurmd", &["-D", "-N", &node()])?;
        cluster.wait("the node", |cluster| {
            let output = cluster.command("sinfo").args(["-h", "-o", "%T"]).output();
            output.is_ok_and(|output| output.stdout.starts_with(b"idle"))
        })?;
        Ok(cluster)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program that finds this cluster.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name).unwrap_or_else(|| name.into()));
        command.env("SLURM_CONF", self.path("slurm.conf"));
        command
    }

    fn configure(&self) -> Result<(), String> {
        for name in ["munge", "state", "spool"] {
            std::fs::create_dir(self.path(name)).map_err(|error| error.to_string())?;
        }
        let (node, root) = (node(), self.folder.path().display());
        let ports = [free_port()?, free_port()?];
        let conf = format!(
            "ClusterName=singe\nSlurmctldHost={node}(127.0.0.1)\nSlurmctldPort={}\nSlurmdPort={}\nSlurmUser=root\nSlurmdUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={root}/munge/socket\nCredType=cred/munge\nStateSaveLocation={root}/state\n\
             SlurmdSpoolDir={root}/spool\nSlurmctldPidFile={root}/slurmctld.pid\nSlurmdPidFile={root}/slurmd.pid\n\
             SlurmctldLogFile={root}/slurmctld.log\nSlurmdLogFile={root}/slurmd.log\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nMpiDefault=none\nMailProg=/bin/true\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             SchedulerType=sched/builtin\nReturnToService=2\nNodeName={node} NodeAddr=127.0.0.1 CPUs={} State=UNKNOWN\n\
             PartitionName=main Nodes={node} Default=YES MaxTime=10 State=UP\n",
            ports[0],
            ports[1],
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        std::fs::write(self.path("slurm.conf"), conf).map_err(|error| error.to_string())?;
        // Nobody else uses this cluster: any key will do.
        std::fs::write(self.path("munge/key-file"), [7; 128]).map_err(|error| error.to_string())?;
        let closed = Command::new("chmod").arg("700").args([self.path("munge")]).status();
        let closed = closed.and_then(|_| Command::new("chmod").arg("600").arg(self.path("munge/key-file")).status());
        closed.map(|_| ()).map_err(|error| error.to_string())
    }

    fn daemon(&mut self, name: &str, options: &[&str]) -> Result<(), String> {
        let mut command = self.command(name);
        let log = std::fs::File::create(self.path(&format!("{name}.out"))).map_err(|error| error.to_string())?;
        let copy = log.try_clone().map_err(|error| error.to_string())?;
        let started = command.args(options).stdin(Stdio::null()).stdout(log).stderr(copy).spawn();
        self.daemons.push(started.map_err(|error| format!("{name}: {error}"))?);
        Ok(())
    }

    fn wait(&self, what: &str, is_there: impl Fn(&Self) -> bool) -> Result<(), String> {
        let limit = Instant::now() + Duration::from_secs(60);
        while !is_there(self) {
            if Instant::now() > limit {
                let logs =
                    ["munged.out", "slurmctld.out", "slurmd.out"].map(|name| std::fs::read_to_string(self.path(name)));
                let last: Vec<String> =
                    logs.into_iter().flatten().filter_map(|log| Some(log.lines().last()?.to_owned())).collect();
                return Err(format!("{what} does not start here: {}", last.join("; ")));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

/// Finds a program; Debian's folder of daemons is not on every user's path.
fn program(name: &str) -> Option<PathBuf> {
    ["/usr/sbin", "/usr/bin"].map(|folder| Path::new(folder).join(name)).into_iter().find(|path| path.is_file())
}

/// Returns the machine's own name, as Slurm has it.
fn node() -> String {
    let output = Command::new("hostname").arg("-s").output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

#[test]
fn a_job_array_gives_what_one_search_gives() {
    let cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(reason) => return skip::skip(reason),
    };
    let search = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
        command
            .arg(mechanism())
            .args(["--kernel", "conductivity", "--verify", "no-compilers", "--search", "exhaustive"]);
        command.args(["--vary", "warps=2,4,6", "--layout", "constants=stripe", "--form", "auto"]).arg("-o").arg(folder);
        command
    };
    let succeeds = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (whole, parts) = (cluster.path("whole"), cluster.path("parts"));
    succeeds(&mut search(&whole));
    succeeds(search(&parts).args(["--emit", "slurm", "--shards", "3"]));
    let said = succeeds(cluster.command("sbatch").arg("--wait").arg(parts.join("tune.sbatch")));
    assert!(said.starts_with("Submitted batch job "), "{said}");
    let mut merge = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
    merge
        .arg("merge")
        .args((1..=3).map(|part| parts.join(format!("shard-{part}"))))
        .arg("-o")
        .arg(parts.join("merged"));
    for part in 1..=3 {
        let log = text(&parts, &format!("shard-{part}.log"));
        assert!(log.contains(&format!("candidates of shard {part}/3 are in ")), "{log}");
        print!("{log}");
    }
    succeeds(&mut merge);
    assert_eq!(recorded(&parts.join("merged")), recorded(&whole));
    for file in ["tune.json", "best.toml"] {
        assert_eq!(text(&parts.join("merged"), file), text(&whole, file), "{file}");
    }
}

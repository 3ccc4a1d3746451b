//! `tupelo user`: the user store of an application.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use gateway::security::users::{self, StoredUser, UserStore};
use miette::{Context, IntoDiagnostic, Result, bail, miette};

use crate::Outcome;
use crate::stdout::wrong_usage;
use crate::app::Application;
use crate::table::Table;

/// Manage the users of gateway and administration server: passwords, API keys, roles.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo user add ada --roles teller,read --app examples/bank\n  \
    tupelo user key ada --app examples/bank\n  tupelo user list --app examples/bank\n\n\
    A running server applies changes within a second. Restart the server after\n\
    adding the first user.")]
pub struct Args {
    #[command(subcommand)]
    action: UserAction,
}

#[derive(Debug, clap::Subcommand)]
enum UserAction {
    /// Add or change a user. The password is prompted for, or read from standard input.
    #[command(after_help = "Example:\n  tupelo user add ada --roles teller,read --app examples/bank")]
    Add(AddArgs),
    /// Remove a user, or one API key of a user.
    #[command(after_help = "Example:\n  tupelo user remove ada --app examples/bank")]
    Remove(RemoveArgs),
    /// List the users, without their secrets.
    #[command(after_help = "Example:\n  tupelo user list --app examples/bank")]
    List(AppFolder),
    /// Make an API key for a user and print it, once.
    #[command(after_help = "Example:\n  tupelo user key ada --app examples/bank")]
    Key(KeyArgs),
}

#[derive(Debug, clap::Args)]
struct AppFolder {
    /// The application folder.
    #[arg(long = "app", value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// The user's name.
    name: String,
    /// Roles, separated by commas.
    #[arg(long, value_delimiter = ',')]
    roles: Option<Vec<String>>,
    /// CICS user id of the user's tasks; by default the name in capitals, if that is a valid
    /// user id.
    #[arg(long, value_name = "ID")]
    userid: Option<String>,
    /// No password: the user has API keys or certificates only.
    #[arg(long)]
    no_password: bool,
    #[command(flatten)]
    app: AppFolder,
}

#[derive(Debug, clap::Args)]
struct RemoveArgs {
    /// The user's name.
    name: String,
    /// Remove only the API key with this id.
    #[arg(long, value_name = "ID")]
    key: Option<String>,
    #[command(flatten)]
    app: AppFolder,
}

#[derive(Debug, clap::Args)]
struct KeyArgs {
    /// The user's name.
    name: String,
    #[command(flatten)]
    app: AppFolder,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.action {
        UserAction::Add(args) => add(&args)?,
        UserAction::Remove(args) => remove(&args)?,
        UserAction::List(folder) => list(&folder)?,
        UserAction::Key(args) => key(&args)?,
    }
    Ok(Outcome::Clean)
}

/// The store's file and its users.
fn open(folder: &AppFolder) -> Result<(PathBuf, UserStore)> {
    let app = Application::open(&folder.folder, None)?;
    let file = app.config.security.users_file(&app.folder);
    let users = if file.exists() {
        UserStore::load(&file).map_err(|wrong| {
            let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            miette!("{}: {}", file.display(), lines.join("\n"))
        })?
    } else {
        UserStore::default()
    };
    Ok((file, users))
}

fn add(args: &AddArgs) -> Result<()> {
    let (file, mut users) = open(&args.app)?;
    let name = &args.name;
    if !users::is_name(name) {
        return Err(wrong_usage("a user's name has 1 to 64 letters, digits, '.', '_', '@' and '-'", None));
    }
    let known = users.get(name).map(|user| (**user).clone());
    let there = known.is_some();
    let mut user = known.unwrap_or(StoredUser {
        name: name.clone(),
        password: String::new(),
        user_id: String::new(),
        roles: Vec::new(),
        keys: Vec::new(),
    });
    if let Some(roles) = &args.roles {
        let roles = roles.iter().map(|role| role.trim()).filter(|role| !role.is_empty());
        user.roles = roles.map(str::to_owned).collect();
        if let Some(role) = user.roles.iter().find(|role| !users::is_role(role)) {
            return Err(wrong_usage(format!("'{role}' is not a valid name of a role"), None));
        }
    }
    if let Some(id) = &args.userid {
        let id = id.to_ascii_uppercase();
        if !users::is_user_id(&id) {
            return Err(wrong_usage("a CICS user id has 1 to 8 of A-Z, 0-9, '@', '#' and '$'", None));
        }
        user.user_id = id;
    }
    let only_change = there && (args.roles.is_some() || args.userid.is_some());
    if args.no_password {
        user.password.clear();
    } else if !only_change {
        let password = password(name)?;
        user.password = users::hash_password(&password).map_err(|why| miette!("{why}"))?;
    }
    users.remove(name);
    users.add(user).map_err(|why| miette!("{why}"))?;
    write(&file, &users)?;
    let done = if there { "changed" } else { "added" };
    println!("{name} {done} in {}", file.display());
    Ok(())
}

fn remove(args: &RemoveArgs) -> Result<()> {
    let (file, mut users) = open(&args.app)?;
    let name = &args.name;
    let Some(user) = users.get(name).map(|user| (**user).clone()) else {
        bail!("there is no user {name} in {}", file.display());
    };
    users.remove(name);
    if let Some(id) = &args.key {
        let mut left = user.clone();
        left.keys.retain(|(known, _)| known != id);
        if left.keys.len() == user.keys.len() {
            bail!("{name} has no API key {id}");
        }
        users.add(left).map_err(|why| miette!("{why}"))?;
    }
    write(&file, &users)?;
    match &args.key {
        Some(id) => println!("API key {id} of {name} removed from {}", file.display()),
        None => println!("{name} removed from {}", file.display()),
    }
    Ok(())
}

fn list(folder: &AppFolder) -> Result<()> {
    let (_, users) = open(folder)?;
    let mut table = Table::new(&["user", "user id", "password", "roles", "API keys"]);
    for user in users.iter() {
        let keys: Vec<&str> = user.keys.iter().map(|(id, _)| id.as_str()).collect();
        let password = if user.password.is_empty() { "no" } else { "yes" };
        table.row(vec![
            user.name.clone(),
            user.user_id.clone(),
            password.to_owned(),
            user.roles.join(" "),
            keys.join(" "),
        ]);
    }
    print!("{table}");
    Ok(())
}

fn key(args: &KeyArgs) -> Result<()> {
    let (file, mut users) = open(&args.app)?;
    let name = &args.name;
    let Some(mut user) = users.get(name).map(|user| (**user).clone()) else {
        bail!(
            help = format!("`tupelo user add {name} --no-password` makes one for a machine"),
            "there is no user {name} in {}",
            file.display()
        );
    };
    let (id, digest, key) = users::new_key().map_err(|why| miette!("{why}"))?;
    user.keys.push((id.clone(), digest));
    users.remove(name);
    users.add(user).map_err(|why| miette!("{why}"))?;
    write(&file, &users)?;
    eprintln!("API key {id} of {name}; it is shown only now:");
    println!("{key}");
    Ok(())
}

/// Replaces the file atomically: a reader sees either the old or the new file. Other users
/// cannot read it.
fn write(file: &Path, users: &UserStore) -> Result<()> {
    base::replace_private(file, users.text().as_bytes())
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}

/// Prompts for a password twice on a terminal; otherwise reads the first line.
fn password(name: &str) -> Result<String> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return line();
    }
    let first = hidden(&format!("password of {name}: "))?;
    let again = hidden("repeat the password: ")?;
    if first == again {
        Ok(first)
    } else {
        bail!("the passwords differ")
    }
}

fn line() -> Result<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).into_diagnostic()?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// Reads a line that the terminal does not show.
fn hidden(prompt: &str) -> Result<String> {
    eprint!("{prompt}");
    // SAFETY: termios is plain data, for which zeros are a value; both calls
    // get it and the descriptor of the standard input, and keep neither.
    let (shown, had) = unsafe {
        let mut shown: libc::termios = std::mem::zeroed();
        let had = libc::tcgetattr(0, &raw mut shown) == 0;
        let mut quiet = shown;
        quiet.c_lflag &= !libc::ECHO;
        if had {
            libc::tcsetattr(0, libc::TCSAFLUSH, &raw const quiet);
        }
        (shown, had)
    };
    let read = line();
    if had {
        // SAFETY: as above; this restores the earlier modes.
        unsafe { libc::tcsetattr(0, libc::TCSAFLUSH, &raw const shown) };
    }
    eprintln!();
    read
}

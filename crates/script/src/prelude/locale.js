// Functions of the language that take a locale or a time zone. The engine has
// no Intl and would pass both over, so that a time in "America/New_York" came
// out in UTC: a call with one throws a RangeError.
// Evaluated once for each engine, before the snapshot; `N` are the natives.
(N) => {
  const { defineProperty } = Object;
  const { apply } = Reflect;

  /** Replaces a method by one that refuses arguments from `first` on. */
  const refuse = (owner, name, first) => {
    const own = owner.prototype[name];
    if (typeof own !== "function") return;
    const checked = {
      [name](...given) {
        if (given.slice(first).some((argument) => argument !== undefined)) {
          throw new RangeError(
            `${name} takes no locale and no options here: there is no Intl; write the format in the script`);
        }
        return apply(own, this, given);
      },
    }[name];
    defineProperty(checked, "length", { value: own.length, configurable: true });
    defineProperty(owner.prototype, name, { value: checked, writable: true, configurable: true });
  };

  const typed = Object.getPrototypeOf(Uint8Array);
  for (const owner of [Number, BigInt, Array, typed]) refuse(owner, "toLocaleString", 0);
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) refuse(Date, name, 0);
  for (const name of ["toLocaleLowerCase", "toLocaleUpperCase"]) refuse(String, name, 0);
  refuse(String, "localeCompare", 1);
}

// The categories of errno's numbers. libstdc++ and libc++ each include this in the namespace that has their error_category.
struct Generic : error_category {
    const char *name() const noexcept override
    {
        return "generic";
    }
    string message(int code) const override
    {
        return strerror(code);
    }
};

struct System : error_category {
    const char *name() const noexcept override
    {
        return "system";
    }
    string message(int code) const override
    {
        return strerror(code);
    }
    error_condition default_error_condition(int code) const noexcept override
    {
        return error_condition(code, generic_category());
    }
};
